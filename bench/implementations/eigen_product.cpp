// Eigen's matrix product, compiled once per instruction set as a module of its own: its templates must not meet those
// of another set in one program. Built with OpenMP, Eigen uses the threads that it is given (for one row it uses one).

#include <Eigen/Core>
#include <cstddef>

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// out[rows][n] = in[rows][k] · Wᵀ for W [n][k].
extern "C" __attribute__((visibility("default"))) void swiglu_eigen_product(const float* in, const float* w, float* out,
                                                                            std::size_t rows, std::size_t k,
                                                                            std::size_t n, int threads) {
  const auto dim = [](std::size_t value) { return static_cast<Eigen::Index>(value); };
  Eigen::setNbThreads(threads);
  const Eigen::Map<const Matrix> weights(w, dim(n), dim(k));
  if (rows == 1) {
    const Eigen::Map<const Eigen::VectorXf> x(in, dim(k));
    Eigen::Map<Eigen::VectorXf>(out, dim(n)).noalias() = weights * x;
  } else {
    const Eigen::Map<const Matrix> x(in, dim(rows), dim(k));
    Eigen::Map<Matrix>(out, dim(rows), dim(n)).noalias() = x * weights.transpose();
  }
}

extern "C" __attribute__((visibility("default"))) const char* swiglu_eigen_version() {
  return "Eigen " EIGEN_MAKESTRING(EIGEN_WORLD_VERSION) "." EIGEN_MAKESTRING(EIGEN_MAJOR_VERSION) "." EIGEN_MAKESTRING(
      EIGEN_MINOR_VERSION);
}
