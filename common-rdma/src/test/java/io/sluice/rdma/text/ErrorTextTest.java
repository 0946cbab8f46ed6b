package io.sluice.rdma.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnknownHostException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Every exception of Java that says only whom it is about is put in words. */
class ErrorTextTest {
  @TempDir private Path directory;

  private static String said(Executable failing) {
    return ErrorText.of(assertThrows(IOException.class, failing));
  }

  @Test
  void everyKindOfFileSystemException() {
    assertEquals("/a: no such file or directory", ErrorText.of(new NoSuchFileException("/a")));
    assertEquals("/a: permission denied", ErrorText.of(new AccessDeniedException("/a")));
    assertEquals("/a: file exists", ErrorText.of(new FileAlreadyExistsException("/a")));
    assertEquals("/a: directory is not empty", ErrorText.of(new DirectoryNotEmptyException("/a")));
    assertEquals("/a: not a directory", ErrorText.of(new NotDirectoryException("/a")));
    assertEquals(
        "/a: symbolic links lead in a circle", ErrorText.of(new FileSystemLoopException("/a")));
    assertEquals("/a: not a symbolic link", ErrorText.of(new NotLinkException("/a")));
    assertEquals(
        "/a -> /b: Invalid cross-device link",
        ErrorText.of(new AtomicMoveNotSupportedException("/a", "/b", "Invalid cross-device link")));
  }

  @Test
  void reasonsAndOtherPathsAreKept() {
    assertEquals(
        "/a: Read-only file system",
        ErrorText.of(new FileSystemException("/a", null, "Read-only file system")));
    assertEquals(
        "/a -> /b: no such file or directory",
        ErrorText.of(new NoSuchFileException("/a", "/b", null)));
    assertEquals(
        "/a: permission denied (by a filter)",
        ErrorText.of(new AccessDeniedException("/a", null, "by a filter")));
    assertEquals("permission denied", ErrorText.of(new AccessDeniedException(null)));
    assertEquals("/a: FileSystemException", ErrorText.of(new FileSystemException("/a")));
  }

  @Test
  void thoseThatJavaThrowsItself() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    Path missing = directory.resolve("missing");
    assertEquals(missing + ": no such file or directory", said(() -> Files.readString(missing)));
    assertEquals(file + ": file exists", said(() -> Files.createFile(file)));
    assertEquals(directory + ": directory is not empty", said(() -> Files.delete(directory)));
    assertEquals(file + ": not a directory", said(() -> Files.newDirectoryStream(file).close()));
    assertEquals(file + ": not a symbolic link", said(() -> Files.readSymbolicLink(file)));
  }

  @Test
  void otherExceptionsThatSayLittle() {
    assertEquals(
        "no address is known of host nowhere", ErrorText.of(new UnknownHostException("nowhere")));
    assertEquals(
        "nowhere: Name or service not known",
        ErrorText.of(new UnknownHostException("nowhere: Name or service not known")));
    assertEquals("the stream ended too early", ErrorText.of(new EOFException()));
    for (IOException closed :
        new IOException[] {
          new ClosedChannelException(),
          new ClosedByInterruptException(),
          new AsynchronousCloseException()
        }) {
      assertEquals("it was closed meanwhile", ErrorText.of(closed));
    }
    assertEquals(
        "java.util.concurrent.TimeoutException", ErrorText.of(new TimeoutException()), "its class");
  }

  @Test
  void whatOnlyWrapsAnotherSaysWhatThatSays() {
    NoSuchFileException cause = new NoSuchFileException("/a");
    String expected = "/a: no such file or directory";
    assertEquals(expected, ErrorText.of(new UncheckedIOException(cause)));
    assertEquals(expected, ErrorText.of(new ExecutionException(cause)));
    assertEquals(expected, ErrorText.of(new RuntimeException(cause)));
    assertEquals(expected, ErrorText.of(new IOException(null, cause)));
    assertEquals("mine", ErrorText.of(new RuntimeException("mine", cause)));
    assertEquals("mine", ErrorText.of(new ExecutionException("mine", cause)));
  }

  @Test
  void anEndIsNamedWithoutItsCauseIfThereIsNoMemoryForThat() {
    assertEquals("it failed: no room", ErrorText.ofEnd("it failed", new IOException("no room")));
    assertEquals("it failed: a read", ErrorText.ofEnd("it failed", "a read"));
    Object unsayable =
        new Object() {
          @Override
          public String toString() {
            throw new OutOfMemoryError("expected by this test");
          }
        };
    assertEquals("it failed", ErrorText.ofEnd("it failed", unsayable));
  }

  @Test
  void wordsStayAsTheyAre() {
    assertEquals("no room", ErrorText.of(new IOException("no room\n")));
    assertEquals(
        "/a (No such file or directory)",
        ErrorText.of(new FileNotFoundException("/a (No such file or directory)")));
  }
}
