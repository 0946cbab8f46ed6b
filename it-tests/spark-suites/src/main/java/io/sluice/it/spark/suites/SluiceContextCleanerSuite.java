package io.sluice.it.spark.suites;

import io.sluice.spark.SluiceShuffleManager;
import org.apache.spark.ContextCleanerSuite;

/** Spark's tests that what is not used any more is freed; they ask for Spark's own manager. */
@SuppressWarnings("serial") // written nowhere
public final class SluiceContextCleanerSuite extends ContextCleanerSuite {
  /** Called by the runner. */
  public SluiceContextCleanerSuite() {
    conf().set("spark.shuffle.manager", shuffleManager().getName());
  }

  @Override
  public Class<?> shuffleManager() {
    return SluiceShuffleManager.class;
  }
}
