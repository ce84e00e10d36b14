/* What calibration cells say of a fitted scale: quantiles of their scores, and from which sigma on errors are likely beyond. */
#include <math.h>

#include "validate/error_model_fit.h"

/* Thresholds that are tried, equally spaced in log sigma between the least and the most that calibration cells have. */
enum { N_THRESHOLDS = 256 };

/* Area of calibration cell-days by log sigma. */
struct sigma_bins {
    double least, width; /* [log degC] */
    double all[N_THRESHOLDS], beyond[N_THRESHOLDS];
};

static size_t collect_scores(struct sst_fitter *fitter, const uint8_t *fold, uint8_t which, size_t *n_cells)
{
    const struct sst_error_rows *rows = fitter->rows;
    size_t n = 0;
    *n_cells = 0;
    for (size_t c = 0; c < rows->n_cells; ++c) {
        if (fold[c] != which)
            continue;
        const double weight = 1.0 / (double)(rows->first[c + 1] - rows->first[c]);
        for (size_t row = rows->first[c]; row < rows->first[c + 1]; ++row)
            fitter->scores[n++] = (struct sst_score){fitter->log_score[row], weight};
        ++*n_cells;
    }
    return n;
}

static void find_limits(const struct sst_fitter *fitter, const uint8_t *fold, uint8_t which, struct sigma_bins *bins)
{
    const struct sst_error_rows *rows = fitter->rows;
    double least = INFINITY, most = -INFINITY;
    for (size_t c = 0; c < rows->n_cells; ++c) {
        if (fold[c] != which)
            continue;
        for (size_t row = rows->first[c]; row < rows->first[c + 1]; ++row) {
            const double log_sigma = fitter->log_sigma[row];
            least = log_sigma < least ? log_sigma : least;
            most = log_sigma > most ? log_sigma : most;
        }
    }
    bins->least = least;
    bins->width = (most - least) / N_THRESHOLDS;
}

static void fill_bins(const struct sst_fitter *fitter, const uint8_t *fold, uint8_t which, struct sigma_bins *bins)
{
    const struct sst_error_rows *rows = fitter->rows;
    for (size_t c = 0; c < rows->n_cells; ++c) {
        if (fold[c] != which)
            continue;
        for (size_t row = rows->first[c]; row < rows->first[c + 1]; ++row) {
            const double place = bins->width > 0.0 ? (fitter->log_sigma[row] - bins->least) / bins->width : 0.0;
            const size_t bin = place < N_THRESHOLDS - 1 ? (size_t)place : N_THRESHOLDS - 1;
            bins->all[bin] += rows->weight[c];
            if (fabs(fitter->residual[row]) > fitter->options->tolerance)
                bins->beyond[bin] += rows->weight[c];
        }
    }
}

/* The threshold of log sigma with the best F1 = 2 found / (flagged + there); of equals the one that flags least. Infinite: none is there. */
static double choose_threshold(const struct sigma_bins *bins)
{
    double there = 0, flagged = 0, found = 0, best = 0, threshold = INFINITY;
    for (int bin = 0; bin < N_THRESHOLDS; ++bin)
        there += bins->beyond[bin];
    for (int bin = N_THRESHOLDS - 1; bin >= 0; --bin) {
        flagged += bins->all[bin];
        found += bins->beyond[bin];
        const double f1 = found > 0.0 ? 2.0 * found / (flagged + there) : 0.0;
        if (f1 > best) {
            best = f1;
            threshold = bins->least + bin * bins->width;
        }
    }
    return threshold;
}

/* Share of the scores, cells weighing the same, above tolerance / sigma; all are logarithms. */
static double probability_beyond(const struct sst_score *scores, size_t n, double log_tolerance, double log_sigma)
{
    double all = 0, above = 0;
    for (size_t i = 0; i < n; ++i) {
        all += scores[i].weight;
        above += scores[i].score + log_sigma > log_tolerance ? scores[i].weight : 0.0;
    }
    return above / all;
}

void sst_fitter_calibrate(struct sst_fitter *fitter, const uint8_t *fold, uint8_t which, struct sst_error_fit *fit)
{
    const struct sst_error_model_options *options = fitter->options;
    struct sigma_bins bins = {0};
    size_t n_cells = 0;
    sst_fitter_evaluate(fitter, fit, fold, which);
    const size_t n = collect_scores(fitter, fold, which, &n_cells);
    for (size_t level = 0; level < options->n_coverages; ++level)
        fit->log_quantile[level] = sst_conformal_quantile(fitter->scores, n, n_cells, options->coverages[level]);
    find_limits(fitter, fold, which, &bins);
    fill_bins(fitter, fold, which, &bins);
    fit->log_likely_sigma = choose_threshold(&bins);
    fit->likely_probability =
        isinf(fit->log_likely_sigma)
            ? (double)NAN
            : probability_beyond(fitter->scores, n, log(options->tolerance), fit->log_likely_sigma);
}
