package io.sluice.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.TransportChooser.MissingProvider;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.tools.doctor.Doctor.TransportCheck;
import io.sluice.tools.doctor.Doctor.Trial;
import io.sluice.tools.doctor.Finding.Level;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TransportCheckTest {
  private static final Finding NO_NIC = Finding.info("nic", "none", "no driver", "modprobe it");
  private static final Finding DOWN = Finding.problem("port", "down", "is down", "set it up");
  private static final Finding FINE = Finding.ok("library", "there");

  /** A transport that is unavailable. */
  private record Broken(Optional<String> unavailabilityCause) implements TransportProvider {
    @Override
    public String name() {
      return "broken";
    }

    @Override
    public boolean isConfined() {
      return true;
    }

    @Override
    public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
        throws TransportException {
      throw new TransportException("cannot listen");
    }

    @Override
    public ClientEndpoint openClient() throws TransportException {
      throw new TransportException("cannot read");
    }
  }

  private static Finding look(TransportProvider provider, Finding... needs) {
    return new TransportCheck(provider, List.of(needs), new FakeTrial(Optional.empty())).look();
  }

  @Test
  void aTransportThatWorksWasTried() {
    assertEquals(
        Finding.ok("transport tcp", "works: listened, and registered memory"),
        look(new TcpProvider(), NO_NIC));
  }

  @Test
  void withoutHardwareNothingIsWrong() {
    assertEquals(
        Finding.info("transport broken", "does not work here", "no device", "modprobe it"),
        look(new Broken(Optional.of("no device")), NO_NIC, FINE));
  }

  @Test
  void aJarThatIsNotThereIsNoProblemOfTheHardware() {
    Finding finding = look(new MissingProvider("disni", "its jar is not there"), NO_NIC, DOWN);
    assertEquals(Level.INFO, finding.level());
    assertEquals("its jar is not there", finding.cause());
    assertEquals(
        "nothing, unless ucx cannot be installed; then put that jar beside Sluice's",
        finding.remedy());
  }

  @Test
  void withHardwareItIsAProblemWithEveryRemedy() {
    assertEquals(
        Finding.problem(
            "transport broken", "does not work here", "no port", "modprobe it; then set it up"),
        look(new Broken(Optional.of("no port")), NO_NIC, FINE, DOWN));
  }

  @Test
  void whatFailsWhenTriedIsAProblem() {
    Trial trial = new FakeTrial(Optional.of("cannot listen"));
    assertEquals(
        Finding.problem("transport tcp", "does not work here", "cannot listen", ""),
        new TransportCheck(new TcpProvider(), List.of(FINE), trial).look());
  }

  /** Where no process can be started, for instance: that is no word on the transport. */
  @Test
  void whatCannotBeTriedIsNotCalledBroken() {
    Trial trial =
        new Trial() {
          @Override
          public Optional<String> failureOf(String transport) throws IOException {
            throw new IOException("Read-only file system");
          }

          @Override
          public Optional<Outcome> of(Path place) {
            return Optional.empty();
          }
        };
    assertEquals(
        Finding.info(
            "transport tcp", "seems to work, but could not be tried", "Read-only file system", ""),
        new TransportCheck(new TcpProvider(), List.of(NO_NIC), trial).look());
  }

  @Test
  void aFindingWithoutARemedyAddsNone() {
    Finding unread = Finding.info("limit", "cannot be read", "no /proc", "");
    assertEquals(
        "modprobe it", look(new Broken(Optional.of("no device")), unread, NO_NIC).remedy());
  }

  @Test
  void theChoiceIsTheFirstThatIsAvailable() {
    TransportChooser chooser =
        new TransportChooser(List.of(new Broken(Optional.of("no port")), new TcpProvider()));
    assertEquals(Finding.ok("transport chosen", "tcp"), TransportCheck.choice(chooser));
  }

  @Test
  void withoutAnyTransportSluiceDoesNotWork() {
    TransportChooser chooser = new TransportChooser(List.of(new Broken(Optional.of("no port"))));
    Finding finding = TransportCheck.choice(chooser);
    assertEquals(Level.BROKEN, finding.level());
    assertEquals("no transport works here: broken is not available (no port)", finding.cause());
  }
}
