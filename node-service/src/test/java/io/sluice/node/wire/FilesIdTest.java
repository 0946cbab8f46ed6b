package io.sluice.node.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.spill.segment.Owner;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FilesIdTest {
  private static final String ROOT = "0123456789abcdef0123456789abcdef";

  @ParameterizedTest
  @ValueSource(ints = {0, 1001, Integer.MAX_VALUE, -1})
  void anIdSaysWhoseFilesItMeans(int uid) {
    Owner owner = new Owner(uid);
    assertEquals(Optional.of(owner), FilesId.ownerOf(FilesId.of(owner, ROOT)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application_1_0001",
        "files-1001-",
        "files--1-" + ROOT,
        "files-4294967296-" + ROOT,
        "files-1001-" + ROOT + "0"
      })
  void otherIdsMeanNobodysFiles(String id) {
    assertEquals(Optional.empty(), FilesId.ownerOf(id));
  }

  @Test
  void aRootIsThirtyTwoDigits() {
    assertThrows(IllegalArgumentException.class, () -> FilesId.of(new Owner(1), "root"));
  }
}
