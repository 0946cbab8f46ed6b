package io.sluice.local.oracle;

import io.sluice.local.Leftovers;
import io.sluice.memory.store.ProcessStore;
import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
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

  /**
   * The store of the process outlives this test, and so must the directory on disk that it uses.
   */
  @BeforeAll
  static void openStore() throws IOException {
    Configuration conf = new Configuration();
    conf.set("hadoop.tmp.dir", System.getProperty("java.io.tmpdir"));
    conf.setInt("sluice.local.memory-mb", Oracle.MEMORY_MB);
    ProcessStore.of(conf);
  }

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

  /** One of them, by chance. */
  String exchange() {
    return Oracle.EXCHANGES.get(random.nextInt(Oracle.EXCHANGES.size()));
  }

  /** One of them. */
  int threads() {
    return THREADS.get(random.nextInt(THREADS.size()));
  }
}
