package io.sluice.node.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.testing.Errnos;
import io.sluice.rdma.transport.RemoteAccessException;
import io.sluice.spill.format.CorruptOutputException;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which failures are a loss: those and no others let a healthy map run again. */
class TroubleTest {
  @ParameterizedTest
  @EnumSource(RemoteError.Code.class)
  void ofAllRefusalsOneIsALoss(RemoteError.Code code) {
    Trouble expected =
        switch (code) {
          case UNKNOWN_APPLICATION -> Trouble.GONE;
          case BUSY, FULL, INTERNAL, NOT_NOW, CORRUPT_OUTPUT, TOO_MUCH -> Trouble.NOT_NOW;
          case BAD_REQUEST, REFUSED -> Trouble.REFUSED;
        };
    assertEquals(expected, Trouble.ofAsking(new RemoteError(code, "for a test")));
  }

  @Test
  void noAnswerIsNoLoss() {
    for (IOException failure :
        List.of(
            new ConnectException("Connection refused"),
            new SocketTimeoutException("no answer"),
            new EOFException("hung up"),
            new NoSuchFileException("socket"),
            new ProtocolException("version 99"))) {
      assertEquals(Trouble.NOT_NOW, Trouble.ofAsking(failure), failure.toString());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Too many open files",
        "Too many open files in system",
        "Cannot allocate memory",
        "No buffer space available",
        "Cannot assign requested address (Address not available)"
      })
  void whatTheReaderItselfLacksIsItsOwn(String errno) {
    for (IOException failure :
        List.of(
            new SocketException(errno),
            new ConnectException(errno),
            new FileSystemException("/segment", null, errno),
            new IOException(new UncheckedIOException(new IOException(errno))))) {
      assertEquals(Trouble.SHORT, Trouble.ofAsking(failure), failure.toString());
      assertTrue(Trouble.ofAsking(failure).isOwn());
      assertTrue(Trouble.isShort(failure));
    }
    RemoteError ofService = new RemoteError(RemoteError.Code.INTERNAL, errno);
    assertFalse(Trouble.isShort(ofService), "a service said so of itself");
    assertFalse(Trouble.isShort(new IOException("of an answer", ofService)));
    IOException ofRead = new IOException("of a read", new RemoteAccessException(errno));
    assertFalse(Trouble.isShort(ofRead));
    assertFalse(Trouble.isShortOfDescriptors(ofRead));
    assertEquals(Trouble.NOT_NOW, Trouble.ofAsking(ofService));
  }

  @Test
  void whatIsNotWhatWasWrittenIsALossForAService() {
    for (IOException failure :
        List.of(
            new CorruptOutputException("another checksum"),
            new NoSuchFileException("segment"),
            new EOFException("cut"))) {
      assertEquals(Trouble.GONE, Trouble.ofReading(failure), failure.toString());
      assertEquals(Trouble.GONE, Trouble.ofReading(new IOException("of a segment", failure)));
    }
  }

  @ParameterizedTest
  @MethodSource("io.sluice.node.testing.Errnos#ofAMoment")
  void theTroubleOfAMomentIsNoLossForAService(String errno) {
    for (IOException failure : Errnos.failures(errno)) {
      assertEquals(Trouble.NOT_NOW, Trouble.ofReading(failure), failure.toString());
    }
  }
}
