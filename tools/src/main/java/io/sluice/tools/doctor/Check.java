package io.sluice.tools.doctor;

import java.util.List;

/** One thing to look at. Must not throw: what cannot be found out is a finding too. */
@FunctionalInterface
interface Check {
  List<Finding> look();
}
