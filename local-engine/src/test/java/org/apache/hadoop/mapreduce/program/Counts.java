package org.apache.hadoop.mapreduce.program;

/** A class of a program, not of Hadoop, although its package says otherwise. */
public final class Counts {
  private Counts() {}
}
