package io.sluice.local.task;

import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * What is known of one attempt of a task; times are of the wall clock, and 0 where there is none.
 *
 * @param startMs when it began
 * @param shuffledMs when a map had read its input, or a reduce had all map outputs
 * @param sortedMs when a reduce had them in order
 * @param state what it said last of itself
 * @param counters its own
 */
public record AttemptRecord(
    TaskAttemptID id,
    long startMs,
    long shuffledMs,
    long sortedMs,
    String state,
    Counters counters) {}
