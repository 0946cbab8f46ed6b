package io.sluice.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.TransportChooser.MissingProvider;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.tools.doctor.Doctor.Trial;
import io.sluice.tools.doctor.Finding.Level;
import io.sluice.tools.doctor.HostTransports.TransportCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TransportCheckTest {
  private static final Finding NO_NIC = Finding.info("nic", "none", "no driver", "modprobe it");
  private static final Finding DOWN = Finding.problem("port", "down", "is down", "set it up");
  private static final Finding FINE = Finding.ok("library", "there");

  private static TransportProvider broken(String cause) {
    return new StandInProvider("broken", Optional.of(cause));
  }

  private static Finding look(TransportProvider provider, Finding... needs) {
    return new TransportCheck(provider, false, List.of(needs), new FakeTrial(Optional.empty()))
        .look();
  }

  private static Finding lookAtOptional(TransportProvider provider, Trial trial, Finding... needs) {
    return new TransportCheck(provider, true, List.of(needs), trial).look();
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
        look(broken("no device"), NO_NIC, FINE));
  }

  @Test
  void aJarThatIsNotThereIsNoProblemOfTheHardware() {
    Finding finding = look(new MissingProvider("disni", "its jar is not there"), NO_NIC, DOWN);
    assertEquals(Level.INFO, finding.level());
    assertEquals("its jar is not there", finding.cause());
    assertEquals(
        "nothing: transport verbs does the same and needs less; to use disni all the same, put"
            + " that jar beside Sluice's",
        finding.remedy());
  }

  @Test
  void withHardwareItIsAProblemWithEveryRemedy() {
    assertEquals(
        Finding.problem(
            "transport broken", "does not work here", "no port", "modprobe it; then set it up"),
        look(broken("no port"), NO_NIC, FINE, DOWN));
  }

  @Test
  void whatFailsWhenTriedIsAProblem() {
    Trial trial = new FakeTrial(Optional.of("cannot listen"));
    assertEquals(
        Finding.problem("transport tcp", "does not work here", "cannot listen", ""),
        new TransportCheck(new TcpProvider(), false, List.of(FINE), trial).look());
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
        new TransportCheck(new TcpProvider(), false, List.of(NO_NIC), trial).look());
  }

  @Test
  void aFindingWithoutARemedyAddsNone() {
    Finding unread = Finding.info("limit", "cannot be read", "no /proc", "");
    assertEquals("modprobe it", look(broken("no device"), unread, NO_NIC).remedy());
  }

  @Test
  void aRemedyOfSeveralNeedsIsSaidOnce() {
    assertEquals("set it up", look(broken("no port"), DOWN, DOWN).remedy());
  }

  @Test
  void whatNobodyNeedsIsNoProblem() {
    assertEquals(
        Finding.info(
            "transport broken",
            "does not work here",
            "no port",
            "nothing: transport verbs does the same and needs less; to use broken all the same:"
                + " set it up"),
        lookAtOptional(broken("no port"), new FakeTrial(Optional.empty()), DOWN));
    assertEquals(
        Finding.info(
            "transport tcp",
            "does not work here",
            "cannot listen",
            "nothing: transport verbs does the same and needs less"),
        lookAtOptional(new TcpProvider(), new FakeTrial(Optional.of("cannot listen")), FINE));
  }

  @Test
  void theChoiceIsTheFirstThatIsAvailable() {
    TransportChooser chooser =
        new TransportChooser(
            List.of(
                broken("no port"),
                new StandInProvider("works", Optional.empty()),
                new TcpProvider()));
    assertEquals(
        Finding.ok("transport chosen", "works"), HostTransports.choice(chooser, "set it up"));
  }

  @Test
  void aChoiceWithoutRdmaSaysWhyAndWhatHelps() {
    TransportChooser chooser =
        new TransportChooser(
            List.of(
                broken("no port"),
                new StandInProvider("other", Optional.of("no jar")),
                new TcpProvider()));
    assertEquals(
        Finding.info(
            "transport chosen",
            "tcp, so data goes without RDMA",
            "broken does not work here: no port",
            "set it up; then restart the NodeManager or the service here, which chooses when it"
                + " starts"),
        HostTransports.choice(chooser, "set it up"));
  }

  @Test
  void withoutAnyTransportSluiceDoesNotWork() {
    TransportChooser chooser = new TransportChooser(List.of(broken("no port")));
    Finding finding = HostTransports.choice(chooser, "");
    assertEquals(Level.BROKEN, finding.level());
    assertEquals("no transport works here: broken is not available (no port)", finding.cause());
  }
}
