package io.sluice.bench.local;

import io.sluice.bench.Comparison;

/**
 * What the modes took in one shape.
 *
 * @param shape of the job
 * @param keys whether they differ or follow Zipf's law
 * @param chosen what auto was
 * @param comparison of all rounds
 */
record ExchangeCell(
    ExchangeShape shape,
    ExchangeKeys keys,
    ExchangeMode chosen,
    Comparison<ExchangeMode, JobTime> comparison) {

  String title() {
    return shape + ", " + keys.title();
  }
}
