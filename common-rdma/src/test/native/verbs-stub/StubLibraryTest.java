package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.transport.SilentServer;
import io.sluice.rdma.transport.TransportContractTest;
import io.sluice.rdma.transport.TransportProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

class StubLibraryTest extends TransportContractTest {
  @Override
  protected TransportProvider createProvider() {
    try {
      FakeVerbs verbs = new FakeVerbs(dir);
      verbs.close();
      try (Stream<Path> all = Files.walk(verbs.sysClass().resolve("infiniband/fake1"))) {
        for (Path each : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
      return new VerbsProvider(
          new LibVerbs(),
          verbs.sysClass(),
          new VerbsAvailability(verbs.sysClass(), verbs.devices(), verbs.limit()));
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Override
  protected SilentServer startSilentServer() throws Exception {
    return new SilentVerbsServer((VerbsProvider) provider(), bindAddress());
  }
}
