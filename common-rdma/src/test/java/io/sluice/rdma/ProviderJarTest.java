package io.sluice.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.TransportChooser.ProviderJar;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** DiSNI's jar is not on the class path of this module's tests. */
class ProviderJarTest {
  private final ProviderJar jar = jarWith(TcpProvider.class);

  private static ProviderJar jarWith(Class<?> provider) {
    return new ProviderJar("carrier-pigeon", "sluice-pigeon", provider.getName());
  }

  @Test
  void whatIsThereIsTaken() {
    assertInstanceOf(TcpProvider.class, jar.load());
  }

  @Test
  void whoeverAsksForWhatIsNotThereIsToldWhichJarIsMissing() {
    TransportProvider absent = ProviderJar.DISNI.load();
    assertEquals("disni", absent.name());
    for (String message :
        new String[] {
          absent.unavailabilityCause().orElseThrow(),
          assertThrows(TransportException.class, absent::openClient).getMessage(),
          assertThrows(TransportException.class, () -> absent.listen(new InetSocketAddress(0)))
              .getMessage()
        }) {
      assertTrue(message.contains("sluice-disni-<version>.jar is not on the class path"), message);
    }
  }

  /** Fails as a class does that needs what this release has not. */
  private abstract static class OfAnotherRelease implements TransportProvider {
    static final int LINKED = Integer.parseInt("not");
  }

  @Test
  void whatCannotBeLinkedIsLeftOut() {
    TransportProvider left = jarWith(OfAnotherRelease.class).load();
    String cause = left.unavailabilityCause().orElseThrow();
    assertEquals("carrier-pigeon", left.name());
    assertTrue(cause.contains("ExceptionInInitializerError"), cause);
    assertTrue(cause.contains("must be of the same release"), cause);
  }

  /** As where a parent class loader has both jars, and ours has Sluice's alone. */
  @Test
  void whatIsOfAnotherInterfaceIsLeftOut() {
    String cause = jarWith(String.class).load().unavailabilityCause().orElseThrow();
    assertTrue(cause.contains("ClassCastException"), cause);
  }

  @Test
  void aJarOfAnotherVersionIsRefused() {
    assertEquals(
        Optional.of("sluice-pigeon is release 0.1.0, but Sluice is 0.2.0; use the same release"),
        jar.mismatch("0.2.0", "0.1.0"));
    assertEquals(Optional.empty(), jar.mismatch("0.2.0", "0.2.0"));
    assertEquals(Optional.empty(), jar.mismatch(null, "0.2.0"));
    assertEquals(Optional.empty(), jar.mismatch("0.2.0", null));
  }
}
