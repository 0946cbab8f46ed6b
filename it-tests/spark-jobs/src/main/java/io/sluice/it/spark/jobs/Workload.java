package io.sluice.it.spark.jobs;

import java.util.List;

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
  /** The same between so many partitions that blocks are small. */
  SQL_SMALL_BLOCKS,
  /** {@code orderBy} of a data frame. */
  SQL_SORT,
  /** A sort-merge join of rows, half of which have the same key, with a row for every key. */
  SQL_JOIN,
  /** A join one side of which turns out to be small enough to be broadcast once it was shuffled. */
  SQL_LATE_BROADCAST,
  /** All values of a key, one of which has nearly all. */
  SKEWED_GROUPS,
  /** All values of three keys: all other partitions are empty. */
  FEW_KEYS,
  /** Records by partition, which a few tasks read: for thousands of partitions. */
  WIDE,
  /** Values of some megabytes, as many as there are rows. */
  LARGE_RECORDS,
  /** Ranks that go along edges in a few rounds, in whole numbers, whose sums have no order. */
  PAGE_RANK,
  /** All pairs of vertices with a path between them, in as many rounds as it takes. */
  TRANSITIVE_CLOSURE,
  /** A streaming aggregation over files, one in each batch. */
  STREAM_AGGREGATE,
  /** State of each key in a stream of files, one in each batch. */
  STREAM_STATE,
  /** An executor is killed by {@code kill -9} while it writes map output. */
  KILLED_WHILE_MAPPING,
  /** An executor is killed when all map output is written and none is read. */
  KILLED_BETWEEN_STAGES,
  /** An executor is killed while it reads map output. */
  KILLED_WHILE_REDUCING,
  /** A map task that waits until a speculative attempt has written everything, and then goes on. */
  OVERTAKEN,
  /** Executors with map output are released before it is read. */
  RELEASED;

  /** One for each way in which a job may shuffle. */
  public static final List<Workload> BASIC =
      List.of(REPARTITION, SORT_BY_KEY, GROUP_BY_KEY, REDUCE_BY_KEY, COGROUP, SQL_SORT, SQL_JOIN);
}
