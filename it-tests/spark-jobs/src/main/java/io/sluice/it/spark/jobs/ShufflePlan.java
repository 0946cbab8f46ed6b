package io.sluice.it.spark.jobs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/**
 * What {@link ShufflePlanJob} is told: contexts that one driver opens one after the other.
 *
 * @param contexts in their order
 */
public record ShufflePlan(List<ContextPlan> contexts) {

  /** The same shuffles in one context with no settings: what their results are compared with. */
  public ShufflePlan inOneContext() {
    List<ShuffleArguments> all =
        contexts.stream().flatMap(context -> context.shuffles().stream()).distinct().toList();
    return new ShufflePlan(List.of(new ContextPlan("all", Map.of(), all)));
  }

  /** As the job's argument. */
  public String toJson() {
    try {
      return new ObjectMapper().writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  static ShufflePlan parse(String json) throws JsonProcessingException {
    return new ObjectMapper().readValue(json, ShufflePlan.class);
  }
}
