package io.sluice.node.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.security.auth.module.UnixSystem;
import io.sluice.node.wire.Bounded;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OtherUserTest extends LocalServerTestBase {
  private static final String SETPRIV = "/usr/bin/setpriv";
  private static final String NOBODY = "65534";

  @BeforeEach
  void checkThatUsersCanBeChanged() {
    Assumptions.assumeTrue(
        new UnixSystem().getUid() == 0, "only root can run a process as another user");
    Assumptions.assumeTrue(Files.isExecutable(Path.of(SETPRIV)), "there is no " + SETPRIV);
  }

  @Test
  void anotherUserIsRefusedAndToldWhy() throws Exception {
    // The permissions of the directory and of the socket would do; here the service must see it.
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    Files.setPosixFilePermissions(socket(), PosixFilePermissions.fromString("rwxrwxrwx"));
    String answer = sayAsNobody(hello());
    assertTrue(
        answer.contains("belongs to user root and serves no other; the task runs as nobody"),
        answer);
    assertEquals(1L, server.refusals().get(RefusalKind.WRONG_USER));
  }

  @Test
  void anotherUserCannotReachTheSocket() throws Exception {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertEquals("cannot connect", sayAsNobody(hello()));
  }

  private static byte[] hello() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeByte(LocalProtocol.HELLO);
    out.writeShort(LocalProtocol.VERSION);
    Bounded.writeString(out, APP);
    Bounded.writeBytes(out, SECRET.bytes());
    out.writeByte(Handout.NAMES.ordinal());
    return bytes.toByteArray();
  }

  private String sayAsNobody(byte[] message) throws Exception {
    String file = BareTask.class.getName().replace('.', '/') + ".class";
    Path copy = directory.resolve("classes").resolve(file); // where that user may read
    Files.createDirectories(copy.getParent());
    Files.copy(BareTask.class.getResourceAsStream("/" + file), copy);
    Path answer = directory.resolve("answer");
    Process process =
        new ProcessBuilder(
                SETPRIV,
                "--reuid=" + NOBODY,
                "--regid=" + NOBODY,
                "--clear-groups",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                directory.resolve("classes").toString(),
                BareTask.class.getName(),
                socket().toString(),
                HexFormat.of().formatHex(message))
            .redirectErrorStream(true)
            .redirectOutput(answer.toFile())
            .start();
    try {
      assertTrue(
          process.waitFor(TIMEOUT_MS, TimeUnit.MILLISECONDS), "the service keeps the connection");
      return Files.readString(answer);
    } finally {
      process.destroyForcibly();
    }
  }
}
