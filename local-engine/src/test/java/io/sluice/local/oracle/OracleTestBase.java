package io.sluice.local.oracle;

import io.sluice.local.Leftovers;
import io.sluice.rdma.testing.TestSeed;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Has what each test of this package needs, and sees that nothing is left. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class OracleTestBase {
  static final List<Integer> THREADS = List.of(1, 2, 8, 32);

  @TempDir Path directory;
  Random random;
  Oracle oracle;
  Inputs inputs;

  @BeforeEach
  void begin() {
    random = new Random(TestSeed.next(getClass().getSimpleName()));
    oracle = new Oracle(directory);
    inputs = new Inputs(directory, random);
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    Leftovers.none(oracle.conf(), directory.resolve("tmp"));
  }

  /** One of them. */
  int threads() {
    return THREADS.get(random.nextInt(THREADS.size()));
  }
}
