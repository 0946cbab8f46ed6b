package io.sluice.it.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How often something is done, at least once. */
final class CountConverter implements ITypeConverter<Integer> {
  @Override
  public Integer convert(String text) {
    try {
      int count = Integer.parseInt(text);
      if (count > 0) {
        return count;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new TypeConversionException("'" + text + "' is not a number from 1 on");
  }
}
