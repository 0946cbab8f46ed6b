/**
 * The node service and its clients: one process on each node owns the spill pool and serves it.
 *
 * <ul>
 *   <li>{@code service} is the owner;
 *   <li>{@code socket} is how a task on the same node leases extents and commits outputs, over a
 *       Unix socket;
 *   <li>{@code remote} is how a reader on any node asks where an output's bytes lie, over TCP;
 *   <li>{@code client} reads those bytes;
 *   <li>{@code wire} frames and authenticates both conversations;
 *   <li>{@code conf} has typed, documented settings, whatever the engine keeps them in;
 *   <li>{@code metrics} has the same names for JMX, Prometheus and Hadoop's metrics;
 *   <li>{@code probe} tries a node service from another machine, without a job, by reads of a
 *       public pattern.
 * </ul>
 *
 * Nothing here knows Hadoop or Spark.
 */
package io.sluice.node;
