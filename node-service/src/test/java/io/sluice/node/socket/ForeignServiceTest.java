package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.DeadlineChannel;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.Replies;
import io.sluice.spill.segment.TrustedPath;
import io.sluice.spill.store.ExtentSource.LeaseInfo;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A task meets a service that is not its user's, or one that names what is no segment. */
@Timeout(300)
class ForeignServiceTest {
  private static final String SETPRIV = "/usr/bin/setpriv";
  private static final String NOBODY = "65534";
  private static final int ANOTHER_USER = 12345;
  private static final long TIMEOUT_MS = 120_000;

  @TempDir private Path base;
  private Path directory;
  private Path socket;

  @BeforeEach
  void makeDirectory() throws IOException {
    directory =
        Files.createDirectory(
            base.resolve("service"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    socket = directory.resolve("control.sock");
  }

  private SocketClient connect() throws IOException {
    return SocketClient.connect(
        socket, "application_1_0001", new JobSecret(new byte[] {1}), TIMEOUT_MS);
  }

  private static void assumeRoot() throws IOException {
    Assumptions.assumeTrue(
        TrustedPath.userId() == 0, "only root can give a directory away or be another user");
  }

  private void assertNobodyIsCalled(String why) throws IOException {
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listener.bind(UnixDomainSocketAddress.of(socket)).configureBlocking(false);
      IOException e = assertThrows(IOException.class, this::connect);
      assertTrue(e.getMessage().contains(why), e.getMessage());
      assertNull(listener.accept());
    }
  }

  @Test
  void aDirectoryOfAnotherUserIsNotConnectedTo() throws IOException {
    assumeRoot();
    Files.setAttribute(directory, "unix:uid", ANOTHER_USER);
    assertNobodyIsCalled("belongs to user id 12345");
  }

  @Test
  void aDirectoryThatOthersMayWriteToIsNotConnectedTo() throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwx---"));
    assertNobodyIsCalled("can be written by other users");
  }

  /** Its socket has come into the directory all the same. */
  @Test
  void aServiceOfAnotherUserIsToldNothing() throws Exception {
    assumeRoot();
    Assumptions.assumeTrue(Files.isExecutable(Path.of(SETPRIV)), "there is no " + SETPRIV);
    Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwxrwxrwx"));
    String file = BareService.class.getName().replace('.', '/') + ".class";
    Path copy = base.resolve("classes").resolve(file);
    Files.createDirectories(copy.getParent());
    Files.copy(BareService.class.getResourceAsStream("/" + file), copy);
    Process service =
        new ProcessBuilder(
                SETPRIV,
                "--reuid=" + NOBODY,
                "--regid=" + NOBODY,
                "--clear-groups",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                base.resolve("classes").toString(),
                BareService.class.getName(),
                base.resolve("s").toString())
            .redirectErrorStream(true)
            .start();
    try (BufferedReader said = service.inputReader()) {
      assertEquals("listening", said.readLine());
      Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwx------"));
      Files.move(base.resolve("s"), socket);
      IOException e = assertThrows(IOException.class, this::connect);
      assertTrue(e.getMessage().contains("listens a process of user nobody"), e.getMessage());
      assertEquals("heard 0 bytes", said.readLine());
      assertTrue(service.waitFor(TIMEOUT_MS, TimeUnit.MILLISECONDS));
    } finally {
      service.destroyForcibly();
    }
  }

  /** A service of this user that announces {@code places} and then answers as it is told. */
  private CompletableFuture<Void> serve(
      ServerSocketChannel listener, List<Path> places, Frames.Payload extents) {
    return CompletableFuture.runAsync(
        () -> {
          try (DeadlineChannel channel = DeadlineChannel.accepted(listener.accept())) {
            Frames frames = new Frames(channel);
            frames.receiveHello(TIMEOUT_MS);
            LeaseInfo lease = new LeaseInfo(new UUID(1, 2), 4096, 1);
            LeaseRecords.open(socket, false).create(lease).close(false);
            frames.send(
                Replies.OK,
                out -> {
                  out.writeShort(SocketProtocol.VERSION);
                  SocketProtocol.writeInfo(out, lease);
                  out.writeLong(1);
                  out.writeInt(places.size());
                  for (Path place : places) {
                    Bounded.writeString(out, place.toString());
                  }
                },
                TIMEOUT_MS);
            frames.receive(TIMEOUT_MS, TIMEOUT_MS);
            frames.send(Replies.OK, extents, TIMEOUT_MS);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  /** One extent of a segment with that id, in that place. */
  private static Frames.Payload extent(int segmentId, int place) {
    return extent(segmentId, place, 0);
  }

  private static Frames.Payload extent(int segmentId, int place, int incarnation) {
    return out -> {
      out.writeInt(1);
      out.writeInt(segmentId);
      out.writeByte(segmentId < 1 << 30 ? 0 : 1);
      out.writeInt(place);
      out.writeInt(incarnation);
      out.writeLong(0); // in the file
      out.writeLong(4096);
      out.writeInt(0); // mapped by the JDK
      out.writeLong(0);
      out.writeLong(4096);
    };
  }

  private IOException leaseFails(List<Path> places, Frames.Payload extents) throws Exception {
    Files.deleteIfExists(socket);
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listener.bind(UnixDomainSocketAddress.of(socket));
      CompletableFuture<Void> served = serve(listener, places, extents);
      try (SocketClient client = connect()) {
        IOException e = assertThrows(IOException.class, () -> client.lease(4096));
        served.get(TIMEOUT_MS, TimeUnit.MILLISECONDS);
        return e;
      }
    }
  }

  @Test
  void noFileIsNamedButSegmentsInPlacesOfOnesOwn() throws Exception {
    Path open = Files.createDirectory(base.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path linked = Files.createSymbolicLink(base.resolve("linked"), directory);
    List<Path> places = List.of(directory, open, linked);
    for (int place = 1; place <= 3; place++) {
      leaseFails(places, extent(1 << 30, place));
    }
    leaseFails(places, extent(7, -1));
    leaseFails(places, extent(7, Integer.MAX_VALUE));
    leaseFails(places, extent(7, 0, -1));
  }

  @Test
  void aPoolThatIsSomebodyElsesIsNotEntered() throws Exception {
    Path open = Files.createDirectory(base.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listener.bind(UnixDomainSocketAddress.of(socket));
      CompletableFuture<Void> served = serve(listener, List.of(open), out -> {});
      IOException e = assertThrows(IOException.class, this::connect);
      assertTrue(e.getMessage().contains("can be written by other users"), e.getMessage());
      assertThrows(Exception.class, () -> served.get(TIMEOUT_MS, TimeUnit.MILLISECONDS));
    }
  }
}
