package io.sluice.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The rule of CONTRIBUTING.md: what a test draws, it draws from a seed that is printed and can be
 * given again. So the tests of all modules take it from {@code TestSeed}, or fix it.
 */
class SeedsTest {
  private static final Pattern UNSEEDED =
      Pattern.compile(
          "new (Splittable)?Random\\((\\)|[^;]*System\\.(nanoTime|currentTimeMillis))"
              + "|SecureRandom"
              + "|RandomGenerator\\.(getDefault|of)\\("
              + "|Collections\\.shuffle\\(([^,();]|\\(([^()]|\\([^()]*\\))*\\))*\\)"
              + "|ThreadLocalRandom"
              + "|Math\\.random\\("
              + "|[sS]eed\\w*( = |\\()System\\.(nanoTime|currentTimeMillis)"
              + "|getLong\\((PROPERTY|\"[\\w.]*seed)");

  /**
   * A cipher's signatures name a random; ports of processes that run side by side must differ; the
   * source itself; what is read here.
   */
  private static final List<String> ALLOWED =
      List.of("AesGcmTest.java", "FreePorts.java", "SeedsTest.java", "TestSeed.java");

  private static boolean drawsUnseen(String source) {
    return UNSEEDED.matcher(source).find();
  }

  /** The names of all tests that draw so. */
  private static List<String> drawingUnseen() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : SourceTree.filesBelow("src/test/java")) {
      if (drawsUnseen(Files.readString(file))) {
        found.add(file.getFileName().toString());
      }
    }
    found.sort(null);
    return found;
  }

  @Test
  void everyTestTakesItsSeedFromTheOneSource() throws IOException {
    assertEquals(ALLOWED, drawingUnseen());
  }

  @Test
  void theCheckSeesWhatCannotBeRepeatedAndNothingElse() {
    assertTrue(drawsUnseen("Random random = new Random();"));
    assertTrue(drawsUnseen("new SplittableRandom(17 ^ System.nanoTime())"));
    assertTrue(drawsUnseen("new SecureRandom().nextBytes(bytes);"));
    assertTrue(drawsUnseen("RandomGenerator.getDefault().nextInt()"));
    assertTrue(drawsUnseen("Collections.shuffle(list);"));
    assertTrue(drawsUnseen("Collections.shuffle(new ArrayList<>(byName.values()));"));
    assertTrue(drawsUnseen("long seed = System.nanoTime();"));
    assertTrue(drawsUnseen("FaultPlan.seeded(System.nanoTime())"));
    assertTrue(drawsUnseen("Long.getLong(\"sluice.kill.seed\", 1)"));
    assertFalse(drawsUnseen("new Random(1)"));
    assertFalse(drawsUnseen("new Random(seed); long startNs = System.nanoTime();"));
    assertFalse(drawsUnseen("Collections.shuffle(list, random);"));
    assertFalse(drawsUnseen("Collections.shuffle(list(), new Random(seed));"));
    assertFalse(drawsUnseen("long startNs = System.nanoTime();"));
  }
}
