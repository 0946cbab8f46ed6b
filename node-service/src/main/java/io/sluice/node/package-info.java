/**
 * The node service and its clients: one process on each node owns the spill pool and serves it.
 *
 * <p>{@code service} is the owner; {@code local} is how a task on the same node leases extents and
 * commits outputs, over a Unix socket; {@code remote} is how a reader on any node asks where an
 * output's bytes lie, over TCP; {@code client} reads those bytes; {@code wire} frames and
 * authenticates both conversations. Nothing here knows Hadoop or Spark.
 */
package io.sluice.node;
