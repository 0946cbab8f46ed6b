/** Programs that nobody of this project wrote, run as stock runs them and by Sluice. */
package io.sluice.it.foreign;
