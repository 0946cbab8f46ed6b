/** The command line behind {@code ./sluice}. */
package io.sluice.it.cli;
