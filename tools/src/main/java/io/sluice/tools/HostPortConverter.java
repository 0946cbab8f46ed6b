package io.sluice.tools;

import io.sluice.tools.doctor.HostPort;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Other hosts' services on the command line. */
final class HostPortConverter implements ITypeConverter<HostPort> {
  @Override
  public HostPort convert(String text) {
    try {
      return HostPort.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
