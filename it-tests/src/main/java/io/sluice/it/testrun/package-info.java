/**
 * {@code ./sluice test}: what it consists of, which of it runs when, and how it is run side by
 * side.
 */
package io.sluice.it.testrun;
