package io.sluice.hadoop.collect;

import java.util.Map;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapred.MapOutputCollector;

/** Collectors for tests of other packages. */
public final class TestCollectors {
  private TestCollectors() {}

  /** Ours, in a container with this environment. */
  public static MapOutputCollector<Writable, Writable> in(Map<String, String> environment) {
    return new SluiceMapOutputCollector<>(environment);
  }
}
