package io.sluice.spill.format;

/**
 * A run and where it lay when somebody asked.
 *
 * @param run which bytes
 * @param place where they lay
 */
public record LocatedRun(Run run, RunLocation place) {}
