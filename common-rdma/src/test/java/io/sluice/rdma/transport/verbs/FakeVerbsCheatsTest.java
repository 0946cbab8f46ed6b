package io.sluice.rdma.transport.verbs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Cheats over a NIC of the test, which refuses what the endpoints have not asked it to allow. */
class FakeVerbsCheatsTest extends VerbsCheatsContractTest {
  @TempDir private Path fakes;

  private FakeVerbs verbs;

  @BeforeEach
  void fakeVerbs() throws IOException {
    verbs = new FakeVerbs(fakes);
  }

  @AfterEach
  void closeVerbs() {
    verbs.close();
  }

  @Override
  VerbsProvider provider() {
    return verbs.provider();
  }

  @Override
  Verbs verbs() {
    return verbs;
  }

  @Override
  Path sysClass() {
    return verbs.sysClass();
  }

  @Override
  InetSocketAddress bindAddress() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  @Override
  String nativeObjects() {
    return verbs.live().toString();
  }
}
