/*
 * Reasons for care, one bit each; the list is the only copy: the enum, flag_masks and flag_meanings of the output, the
 * summary and the documentation are made from it.
 */
#ifndef SST_CORE_FLAGS_H
#define SST_CORE_FLAGS_H

/* bit, name (CF flag_meanings), what it means in plain words */
#define SST_FLAG_LIST(X)                                                                                               \
    X(0, MISSING, "missing", "no value: land, or fewer observations than --min-samples")                               \
    X(1, FEW_SAMPLES, "few_samples", "fewer than 80 % of the observations that a full record gives")                   \
    X(2, DERIVED_LEAP_DAY, "derived_leap_day", "29 February: the mean of 28 February and 1 March")                     \
    X(3, ICE_OR_NO_VARIANCE, "ice_or_no_variance",                                                                     \
      "sea ice in the pool, or a percentile less than 0.05 degC beyond the mean")                                      \
    X(4, GUARDED_ESTIMATE, "guarded_estimate",                                                                         \
      "skewness and kurtosis near the moment boundary, where the formula fails")                                       \
    X(5, MEASURED_BEYOND_TOLERANCE, "measured_beyond_tolerance",                                                       \
      "off the exact percentile, which is known here, by more than the tolerance")                                     \
    X(6, UNCERTIFIED, "uncertified",                                                                                   \
      "the lists kept do not prove the percentile exact; it lies between the lower and upper bounds")                  \
    X(7, LIKELY_BEYOND_TOLERANCE, "likely_beyond_tolerance",                                                           \
      "probably off the exact percentile, which is not known here, by more than the tolerance")                        \
    X(8, REPAIRED, "repaired", "was off by more than the tolerance and has been replaced by the exact percentile")

enum sst_flag {
#define X(bit, symbol, name, text) SST_FLAG_##symbol = 1 << (bit),
    SST_FLAG_LIST(X)
#undef X
};

enum {
#define X(bit, symbol, name, text) +1
    SST_N_FLAGS = 0 SST_FLAG_LIST(X)
#undef X
};

/* P90 - mean below this gives no marine heatwave category: it would divide by next to nothing. So does mean - P10. [degC] */
#define SST_NO_VARIANCE_DEGC 0.05

/* Only percentiles from these outwards are judged by it: those between may be near the mean of anything. [percent] */
#define SST_HIGHEST_LOWER_PERCENTILE 25.0
#define SST_LOWEST_UPPER_PERCENTILE 75.0

/* Fewer observations than this share of a full pool are flagged. */
#define SST_FEW_SAMPLES_SHARE 0.8

#endif
