package io.sluice.it.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes results below one directory.
 *
 * @param directory made when first needed
 */
public record ResultFiles(Path directory) {

  public Path json(String name, Object value) {
    return write(
        name + ".json",
        file ->
            new ObjectMapper()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .writeValue(file.toFile(), value));
  }

  public Path text(String name, String text) {
    return write(name, file -> Files.writeString(file, text));
  }

  /** Something that can be written to a file. */
  @FunctionalInterface
  public interface Writer {
    void writeTo(Path file) throws IOException;
  }

  public Path write(String name, Writer writer) {
    Path file = directory.resolve(name);
    try {
      Files.createDirectories(directory);
      writer.writeTo(file);
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the result " + file, e);
    }
  }
}
