/* The arithmetic of a net, for vectors of WIDTH floats. Included once per width, with NAME(x) to distinguish them.

   Every sum is taken in one order, lane by lane and never across lanes, without contraction. All widths and all
   processors therefore give the same bits. Sizes are fixed, so that sums stay in registers. */

typedef float NAME(lanes) __attribute__((vector_size(4 * WIDTH), may_alias));
#define LANES NAME(lanes)
#define HIDDEN_LANES (HIDDEN / WIDTH)
#define SECOND_LANES (SECOND / WIDTH)

/* sums = first + amount * row, for each feature in the order of the list; a row has HIDDEN of `stride` floats */
TARGET static inline void NAME(sum_rows)(
    LANES *sums, const LANES *first, const Sparse *features, const float *rows, int stride
) {
    LANES sum[HIDDEN_LANES];
    int i, j;
    for (j = 0; j < HIDDEN_LANES; j++) sum[j] = first[j];
    for (i = 0; i < features->count; i++) {
        const LANES *row = (const LANES *) (rows + (long) stride * features->place[i]);
        float amount = features->amount[i];
        for (j = 0; j < HIDDEN_LANES; j++) sum[j] += row[j] * amount;
    }
    for (j = 0; j < HIDDEN_LANES; j++) sums[j] = sum[j];
}

TARGET static inline LANES NAME(rectified)(LANES x) { return (LANES) ((x > 0) & (__typeof__(x > 0)) x); }

/* the second layer and the heads: four lanes, the first two for score and strength */
TARGET static inline void NAME(conclude)(const NetWeights *net, const LANES *hidden, float *score, float *strength) {
    typedef float four __attribute__((vector_size(16), may_alias));
    const float *h = (const float *) hidden, *k;
    LANES second[SECOND_LANES];
    four even = {0}, odd = {0};
    int i, j;
    for (j = 0; j < SECOND_LANES; j++) second[j] = ((const LANES *) net->second_bias)[j];
    for (i = 0; i < HIDDEN; i++)
        for (j = 0; j < SECOND_LANES; j++) second[j] += ((const LANES *) net->second[i])[j] * h[i];
    for (j = 0; j < SECOND_LANES; j++) second[j] = NAME(rectified)(second[j]);
    k = (const float *) second;
    for (i = 0; i < SECOND; i += 2) {
        even += *(const four *) net->heads[i] * k[i];
        odd += *(const four *) net->heads[i + 1] * k[i + 1];
    }
    even += odd;
    *score = even[0] + net->score_bias;
    *strength = even[1];
}

TARGET static void NAME(run_net)(
    const NetWeights *net, const Sparse *own, const Sparse *table, int seats, float *scores, float *strengths
) {
    LANES mine[MOST_SEATS][HIDDEN_LANES], theirs[MOST_SEATS][HIDDEN_LANES], shared[HIDDEN_LANES], all[HIDDEN_LANES];
    LANES hidden[HIDDEN_LANES];
    const LANES none[HIDDEN_LANES] = {0};
    float share = 1.0f / (float) (seats - 1);
    int seat, j;
    NAME(sum_rows)(shared, (const LANES *) net->bias, table, net->table, HIDDEN);
    for (j = 0; j < HIDDEN_LANES; j++) all[j] = none[j];
    for (seat = 0; seat < seats; seat++) {
        NAME(sum_rows)(mine[seat], none, &own[seat], net->own, 2 * HIDDEN);
        NAME(sum_rows)(theirs[seat], none, &own[seat], net->own + HIDDEN, 2 * HIDDEN);
        for (j = 0; j < HIDDEN_LANES; j++) all[j] += theirs[seat][j];
    }
    for (seat = 0; seat < seats; seat++) {
        for (j = 0; j < HIDDEN_LANES; j++)
            hidden[j] = NAME(rectified)(mine[seat][j] + (all[j] - theirs[seat][j]) * share + shared[j]);
        NAME(conclude)(net, hidden, &scores[seat], &strengths[seat]);
    }
}

#undef LANES
#undef HIDDEN_LANES
#undef SECOND_LANES
