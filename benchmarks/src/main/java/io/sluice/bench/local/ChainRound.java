package io.sluice.bench.local;

import io.sluice.bench.Spread;
import java.util.List;

/**
 * What a variant's two chains took in a round.
 *
 * @param sorts of all the data
 * @param trivial of next to none
 */
record ChainRound(ChainRun sorts, ChainRun trivial) {
  static final int SORTS = 4;
  static final int TRIVIAL_JOBS = 9;

  /** Times of all trivial jobs but the first, in ms. */
  Spread laterTrivialMs() {
    List<JobTime> jobs = trivial.jobs();
    return Spread.of(
        jobs.subList(1, jobs.size()).stream().map(job -> (double) job.wallMs()).toList());
  }
}
