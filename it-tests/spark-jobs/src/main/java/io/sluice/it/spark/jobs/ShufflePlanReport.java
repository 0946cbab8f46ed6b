package io.sluice.it.spark.jobs;

import java.util.List;

/**
 * What {@link ShufflePlanJob} prints, as one line of JSON.
 *
 * @param contexts in the plan's order
 */
public record ShufflePlanReport(List<ContextReport> contexts) {}
