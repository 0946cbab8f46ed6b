package io.sluice.node.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.testing.Errnos;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.RemoteAccessException;
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
class FailureMeaningTest {
  @ParameterizedTest
  @EnumSource(RemoteError.Code.class)
  void ofAllRefusalsOneIsALoss(RemoteError.Code code) {
    FailureMeaning expected =
        switch (code) {
          case UNKNOWN_APPLICATION -> FailureMeaning.GONE;
          case BUSY, FULL, INTERNAL, NOT_NOW, CORRUPT_OUTPUT, TOO_MUCH -> FailureMeaning.NOT_NOW;
          case BAD_REQUEST, REFUSED -> FailureMeaning.REFUSED;
        };
    assertEquals(expected, FailureMeaning.ofAsking(new RemoteError(code, "for a test")));
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
      assertEquals(FailureMeaning.NOT_NOW, FailureMeaning.ofAsking(failure), failure.toString());
    }
  }

  @Test
  void aReaderWithoutHeapBlamesNoOutputAndNoTransport() {
    IOException failure =
        new TransportException(
            "a read was not started: Java heap space", new OutOfMemoryError("Java heap space"));
    assertEquals(FailureMeaning.SHORT, FailureMeaning.ofAsking(failure));
    assertTrue(FailureMeaning.isShortForEveryWay(failure));
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
      assertEquals(FailureMeaning.SHORT, FailureMeaning.ofAsking(failure), failure.toString());
      assertTrue(FailureMeaning.ofAsking(failure).isOwn());
      assertTrue(FailureMeaning.isShort(failure));
    }
    RemoteError ofService = new RemoteError(RemoteError.Code.INTERNAL, errno);
    assertFalse(FailureMeaning.isShort(ofService), "a service said so of itself");
    assertFalse(FailureMeaning.isShort(new IOException("of an answer", ofService)));
    IOException ofRead = new IOException("of a read", new RemoteAccessException(errno));
    assertFalse(FailureMeaning.isShort(ofRead));
    assertFalse(FailureMeaning.isShortForEveryWay(ofRead));
    assertEquals(FailureMeaning.NOT_NOW, FailureMeaning.ofAsking(ofService));
  }

  @Test
  void whatIsNotWhatWasWrittenIsALossForAService() {
    for (IOException failure :
        List.of(
            new CorruptOutputException("another checksum"),
            new NoSuchFileException("segment"),
            new EOFException("cut"))) {
      assertEquals(FailureMeaning.GONE, FailureMeaning.ofReading(failure), failure.toString());
      assertEquals(
          FailureMeaning.GONE, FailureMeaning.ofReading(new IOException("of a segment", failure)));
    }
  }

  @ParameterizedTest
  @MethodSource("io.sluice.node.testing.Errnos#ofAMoment")
  void theTroubleOfAMomentIsNoLossForAService(String errno) {
    for (IOException failure : Errnos.failures(errno)) {
      assertEquals(FailureMeaning.NOT_NOW, FailureMeaning.ofReading(failure), failure.toString());
    }
  }
}
