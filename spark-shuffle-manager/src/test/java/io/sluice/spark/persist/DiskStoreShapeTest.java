package io.sluice.spark.persist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spark.persist.Persistence.DiskStoreShape;
import java.util.Optional;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.DiskStore;
import org.junit.jupiter.api.Test;

class DiskStoreShapeTest {
  private static final class NoField {}

  private static final class OtherStore {
    @SuppressWarnings("unused")
    public void truncate(String id) {}
  }

  private static final class Manager {
    @SuppressWarnings("unused")
    private OtherStore diskStore;
  }

  @Test
  void thisSparkIsAsExpected() {
    assertEquals(Optional.empty(), DiskStoreShape.difference(BlockManager.class, DiskStore.class));
  }

  @Test
  void aBlockManagerWithoutTheFieldIsNot() {
    assertTrue(
        DiskStoreShape.difference(NoField.class, DiskStore.class)
            .orElseThrow()
            .endsWith("has no field diskStore"));
  }

  @Test
  void aFieldOfAnotherTypeIsNot() {
    assertTrue(DiskStoreShape.difference(Manager.class, DiskStore.class).isPresent());
  }

  @Test
  void aStoreWithOtherMethodsIsNot() {
    assertTrue(
        DiskStoreShape.difference(Manager.class, OtherStore.class)
            .orElseThrow()
            .contains("truncate(String)"));
  }
}
