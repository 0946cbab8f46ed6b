package io.sluice.bench.model;

/**
 * How blocks are kept on remote resources.
 *
 * @param blockBytes that travel for each task
 * @param taskMs what a task takes beside that
 */
record BlockFormat(double blockBytes, double taskMs) {}
