package io.sluice.workloads.input;

import java.util.SplittableRandom;

/** Makes the records of an input. Thread contract: safe from any thread. */
interface RecordMaker {
  /**
   * Writes the lines of one record, each with its end.
   *
   * @param number of it in the whole input, from 0 on
   * @param random for this record alone
   */
  void make(long number, SplittableRandom random, StringBuilder lines);
}
