package io.sluice.bench;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.io.IOException;
import java.nio.file.Path;

/** A plot of a result, whose JSON has all of it: {@link StoredPlots} draws it again from there. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
public interface Plot {
  /** Draws it as a PNG. */
  void draw(Path file) throws IOException;
}
