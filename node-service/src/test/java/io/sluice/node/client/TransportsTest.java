package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.testing.WrappedTcp;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransportsTest {
  private static final int WINDOW_BYTES = 4096;
  private static final int WINDOWS = 64;

  private final List<String> opened = new ArrayList<>();

  private final class Noting extends WrappedTcp {
    private final String name;

    Noting(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public ClientEndpoint openClient() throws TransportException {
      opened.add(name);
      return super.openClient();
    }
  }

  private Transports transports(List<String> names) {
    List<TransportProvider> providers = new ArrayList<>();
    names.forEach(name -> providers.add(new Noting(name)));
    return new Transports(providers, WINDOW_BYTES, WINDOWS * WINDOW_BYTES, 2 * WINDOWS);
  }

  @Test
  void oneMoreTransportTakesNoWindowsFromTheOthers() throws Exception {
    for (List<String> names :
        List.of(List.of("tcp"), List.of("verbs", "tcp"), TransportNames.BEST_FIRST)) {
      try (Transports transports = transports(names)) {
        assertEquals(WINDOWS, transports.windowCount(), names.toString());
        for (String name : names) {
          assertEquals(WINDOWS, transports.pool(name).usage().maxWindows(), name);
        }
      }
    }
  }

  @Test
  void onlyWhatIsReadOverIsOpened() throws Exception {
    try (Transports transports = transports(TransportNames.BEST_FIRST)) {
      assertEquals(List.of(), opened);
      transports.pool("verbs").tryAcquire(0).orElseThrow().close();
      transports.endpoint("verbs");
      assertEquals(List.of("verbs"), opened);
    }
  }
}
