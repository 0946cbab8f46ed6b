package io.sluice.bench.local;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.sluice.it.local.ProcessCosts;
import java.util.List;

/**
 * What a workload took in a process of its own.
 *
 * @param process all of it
 * @param tasksMs from the first task to the last, of all of its jobs
 * @param jobs when their attempts began and ended
 */
record ScalingRun(ProcessCosts process, long tasksMs, @JsonIgnore List<JobHistoryTimes> jobs) {
  static ScalingRun of(ProcessCosts process, List<JobHistoryTimes> jobs) {
    return new ScalingRun(process, jobs.stream().mapToLong(JobHistoryTimes::tasksMs).sum(), jobs);
  }

  /** What is before the tasks of its jobs, between and after them. */
  double serialMs() {
    return Math.max(0, process.wallMs() - tasksMs);
  }
}
