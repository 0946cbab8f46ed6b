package io.sluice.spill.disk;

/**
 * Whose turn it is inside a class: applications take turns, and the streams of each do.
 *
 * @param application whose it is
 * @param id a lease, an output or a reader of that application
 */
public record DiskStream(String application, long id) {}
