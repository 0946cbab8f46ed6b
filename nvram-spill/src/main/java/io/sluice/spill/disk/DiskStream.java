package io.sluice.spill.disk;

/**
 * Whose turn it is inside a class: users take turns, the applications of each do, and the streams
 * of each of these.
 *
 * @param user whose it is
 * @param application of that user
 * @param id a file of that application
 */
public record DiskStream(String user, String application, long id) {}
