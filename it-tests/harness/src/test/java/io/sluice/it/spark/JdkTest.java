package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.spark.SparkMatrix.Jdk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JdkTest {
  @Test
  void thisJvmsIsAmongThem() {
    assertTrue(Jdk.ofThisHost().containsKey(Runtime.version().feature()));
  }

  @Test
  void itsReleaseFileSaysWhatItIs(@TempDir Path home) throws IOException {
    assertEquals(Optional.empty(), Jdk.of(home));
    Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"25.0.1\"\n");
    Files.createDirectory(home.resolve("bin"));
    assertEquals(Optional.empty(), Jdk.of(home), "nothing to run");
    assertTrue(Files.createFile(home.resolve("bin/java")).toFile().setExecutable(true));
    assertEquals(Optional.of(25), Jdk.of(home).map(Jdk::feature));
  }
}
