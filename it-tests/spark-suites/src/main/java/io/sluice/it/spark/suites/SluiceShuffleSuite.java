package io.sluice.it.spark.suites;

import io.sluice.spark.SluiceShuffleManager;
import org.apache.spark.ShuffleSuite;

/**
 * Spark's tests of any shuffle manager. They make their configuration without system properties,
 * which is why this manager has to be put into it, as Spark's own subclass does with its own.
 */
@SuppressWarnings("serial") // written nowhere
public final class SluiceShuffleSuite extends ShuffleSuite {
  @Override
  public void beforeAll() {
    super.beforeAll();
    conf().set("spark.shuffle.manager", SluiceShuffleManager.class.getName());
  }
}
