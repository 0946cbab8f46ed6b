package io.sluice.local.count;

import org.apache.hadoop.mapreduce.InputFormat;

/** What a task reads with, and where that is measured: its settings. */
interface JobInput {
  /** The job's own format, of the new interface. */
  InputFormat<?, ?> newInputFormat();

  /** Of the task. */
  IoMeter inputMeter();
}
