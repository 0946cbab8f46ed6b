package io.sluice.it.spark.jobs;

/** The kinds of shuffle that {@link ShuffleJob} knows. */
public enum Workload {
  /** Every record moves, in no order. */
  REPARTITION,
  /** Range partitions, sorted by key. */
  SORT_BY_KEY,
  /** All values of a key, without combining. */
  GROUP_BY_KEY,
  /** A sum per key, combined on the map side. */
  REDUCE_BY_KEY,
  /** The values of a key on two sides. */
  COGROUP,
  /** {@code repartition} of a data frame. */
  SQL_REPARTITION,
  /** {@code orderBy} of a data frame. */
  SQL_SORT,
  /** A sort-merge join of rows, half of which have the same key, with a row for every key. */
  SQL_JOIN
}
