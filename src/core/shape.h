/* Shape of the pools of many cells: what a model of an estimate's error may look at. */
#ifndef SST_CORE_SHAPE_H
#define SST_CORE_SHAPE_H

/* n_cells items each; NaN where there is no value. Population moments, as the estimate saw them; never smoothed. */
struct sst_shape {
    float *sd; /* [degC] */
    float *skew;
    float *kurt; /* excess */
};

#endif
