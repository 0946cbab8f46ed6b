package io.sluice.it.limit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The files by which the kernel is asked and told: a seam, so that tests see what is written, and
 * in which order, without a kernel that takes it. Thread-safe.
 */
interface KernelFiles {
  boolean exists(Path path);

  boolean isWritable(Path path);

  String read(Path file) throws IOException;

  /** Writes to a file that is there, in one call: each is a command. */
  void write(Path file, String text) throws IOException;

  void makeDirectory(Path directory) throws IOException;

  /** Removes a directory, whatever files the kernel shows in it. */
  void removeDirectory(Path directory) throws IOException;

  /** This machine's. */
  KernelFiles HERE =
      new KernelFiles() {
        @Override
        public boolean exists(Path path) {
          return Files.exists(path);
        }

        @Override
        public boolean isWritable(Path path) {
          return Files.isWritable(path);
        }

        @Override
        public String read(Path file) throws IOException {
          return Files.readString(file);
        }

        @Override
        public void write(Path file, String text) throws IOException {
          Files.writeString(file, text, StandardOpenOption.WRITE);
        }

        @Override
        public void makeDirectory(Path directory) throws IOException {
          Files.createDirectory(directory);
        }

        @Override
        public void removeDirectory(Path directory) throws IOException {
          Files.delete(directory);
        }
      };
}
