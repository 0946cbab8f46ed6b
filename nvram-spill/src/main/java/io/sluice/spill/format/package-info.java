/**
 * The format of an output on the medium: records, runs, index, identity, location and trailer, with
 * the checks of each.
 */
package io.sluice.spill.format;
