package io.sluice.bench.local;

import io.sluice.it.local.ProcessCosts;
import java.util.List;

/**
 * What a chain of jobs took in a process of its own.
 *
 * @param process all of it
 * @param jobs each
 */
record ChainRun(ProcessCosts process, List<JobTime> jobs) {}
