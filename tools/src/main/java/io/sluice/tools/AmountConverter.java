package io.sluice.tools;

import io.sluice.node.conf.Units;
import java.util.OptionalLong;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Options whose values have a unit, as {@link Units} reads them. */
final class AmountConverter {
  private AmountConverter() {}

  /** A size in whole MiB, such as {@code 64m}. */
  static final class Bytes implements ITypeConverter<Long> {
    private static final long MIB = 1 << 20;

    @Override
    public Long convert(String text) {
      OptionalLong bytes = Units.bytes(text);
      if (bytes.isEmpty() || bytes.getAsLong() % MIB != 0) {
        throw refused(text, "a size in whole MiB with its unit, such as 64m");
      }
      return bytes.getAsLong();
    }
  }

  /** The size of a segment, which is mapped at once. */
  static final class SegmentBytes implements ITypeConverter<Integer> {
    private static final long MAX = 1 << 30;

    @Override
    public Integer convert(String text) {
      long bytes = new Bytes().convert(text);
      if (bytes < Bytes.MIB || bytes > MAX) {
        throw refused(text, "a size from 1m to 1g");
      }
      return (int) bytes;
    }
  }

  /** A time, such as {@code 60min}. */
  static final class Ms implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      return Units.ms(text).orElseThrow(() -> refused(text, "a time with its unit, such as 60min"));
    }
  }

  private static TypeConversionException refused(String text, String expected) {
    return new TypeConversionException("'" + text + "', expected " + expected);
  }
}
