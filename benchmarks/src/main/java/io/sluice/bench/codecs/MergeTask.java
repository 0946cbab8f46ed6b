package io.sluice.bench.codecs;

/**
 * A merge to be measured.
 *
 * @param variant who merges
 * @param codec of the runs
 * @param maps how many runs there are, one of each map
 * @param records of all runs together
 */
record MergeTask(MergeVariant variant, BenchCodec codec, int maps, long records) {}
