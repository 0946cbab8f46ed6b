package io.sluice.it.spark.jobs;

import java.util.List;
import java.util.Map;

/**
 * One context of a {@link ShufflePlan}.
 *
 * @param name unique in the plan, for people
 * @param settings of the engine, beside those of {@code spark-submit}
 * @param shuffles that run in it, one after the other
 */
public record ContextPlan(
    String name, Map<String, String> settings, List<ShuffleArguments> shuffles) {}
