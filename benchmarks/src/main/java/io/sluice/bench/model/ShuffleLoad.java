package io.sluice.bench.model;

/**
 * A job on each of its nodes; more nodes have more of it.
 *
 * @param maps outputs of maps that a node keeps
 * @param reduces that run on a node at a time, all of the job
 */
public record ShuffleLoad(int maps, int reduces) {}
